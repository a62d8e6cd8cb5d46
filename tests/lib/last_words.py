# SPDX-License-Identifier: Apache-2.0
"""What a program of subjects/crash prints as it dies, without what differs each time."""
import re

VARIES = re.compile(rb"0x[0-9a-f]+|(?<=m=)\d+|(?<=goid=)\d+|(?<=gp=)\S+|(?<=goroutine\":)\d+|\d{4,}|goroutine \d+"
                    rb"|goroutines=\d+")
# Any thread may take a signal that is sent to the process, any of several goroutines may be first, and where a
# stack overflows depends on how large it is.
ANY_STACK = re.compile("kill-|c-|foreign|stack-overflow|out-of-memory|goexit|deadlock|map-writes|fault")
# Behind it stand other goroutines, or none, of which a throw prints the runtime's own: they are where they happen to
# be.
FIRST_STACK = re.compile(rb"\n\nN [^\n]*\[.*?(?=\n\n|\n?\Z)", re.DOTALL)


def shape(text, way=""):
    # A map in which two meet may be found damaged before that is noticed: runtime_fast64_swiss.go of 1.24 to 1.26.
    text = re.sub(rb"^fatal error: .*\(concurrent map writes\?\)", b"fatal error: concurrent map writes", text,
                  flags=re.MULTILINE)
    text = VARIES.sub(b"N", text)
    # A second thread may say it, too, before the first has ended the process.
    text = re.sub(rb"(fatal error: concurrent map [^\n]*)(\n\1)+", rb"\1", text)
    stack = FIRST_STACK.search(text)
    if ANY_STACK.match(way):
        return text.partition(b"\n\n")[0]
    return text[:stack.end()] if stack else text
