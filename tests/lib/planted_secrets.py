# SPDX-License-Identifier: Apache-2.0
"""The secrets that the subject of that name states, and when they are found."""
import re
import string

import choice
import matrix
import subjects

PART = 8          # letters of a secret that are one too many
PART_OF_CARD = 12 # digits, of which there are more by chance
PART_OF_HEX = 16  # digits, which are eight letters: addresses and the bytes of others are like fewer
PART_OF_NUMBERS = 24 # letters of what is printed as numbers, which addresses are alike
PART_OF_KEY = 16  # bytes: a word from the middle of one is not known in another goroutine


def least_part(secret):
    if secret.isdigit():
        return PART_OF_CARD
    if re.fullmatch(rb"[0-9a-f-]+|[0-9A-F]+", secret):
        return min(PART_OF_HEX, len(secret))
    if re.fullmatch(rb"[0-9a-fx, ]+", secret) and re.search(rb"[ ,]", secret):
        return PART_OF_NUMBERS
    return PART_OF_KEY if len(secret) == 32 and not secret.isascii() else PART


def parts(secret):
    n = least_part(secret)
    return {secret[i:i + n] for i in range(len(secret) - n + 1)}


def run(version, mode="default"):
    dice = choice.dice("planted secrets", version, mode)

    def letters(n):
        return "".join(dice.choices(string.ascii_letters, k=n))
    arguments = ["--api-token=" + letters(24), "-password", letters(24), letters(24)]
    environment = {"SERVICE_PASSWORD": letters(24), "APP_LICENSE": letters(24)}
    return subjects.run("secrets", version, mode, arguments=arguments, environment=environment)


def in_subject(subject):
    subject.settle()
    return {where: bytes.fromhex(secret) for where, secret in subject.facts["planted"].items()}


# Told by nothing but the name of a variable, which the compiler may not keep, and who strips the
# program does not.
# Without debugging information arguments have no names, and what is before another in a list is
# not seen with it.
BY_NOTHING = ["an argument", "a list of pairs", "a list of a log", "a list of arguments", "argument 3",
              "in registers", "a token in registers"]
# Up to Go 1.16 objects of frames have their types, but no names, without it.
NAMELESS = ["a channel's element", "a field of another goroutine 0",
            "a field of another goroutine 1", "a map in a map", "a number that is the same",
            "a variable", "escaped", "in capital digits", "in digits", "quoted",
            "what is encoded", "with signs", "a key's number", "a key's number in decimal",
            "a copy of an exponent in decimal", "a list of another goroutine 0",
            "a list of another goroutine 1", "an argument of curl",
            "a late element of another goroutine", "a late attribute of another goroutine",
            "a password in a path", "a password in an address as text", "an array in a package",
            "an array of bytes", "a password that is far away", "what a token's function captured"]
BY_NAMES = {"a panic": "password", "an array": "authToken", "a slice": "secretBytes",
            "a key in numbers": "encryptionKey"}
# Only of a user's.
BY_A_RULE = "main.service.user"


def not_told(version, mode):
    """What tells that these are secrets may not be there."""
    if mode == "noopt":
        return [BY_A_RULE]
    if mode != "stripped":
        return [BY_A_RULE, *BY_NAMES]
    return [BY_A_RULE, *BY_NAMES, *BY_NOTHING, *(NAMELESS if matrix.minor(version) < 17 else [])]


def found_in(blob, planted):
    wanted = {}
    for where, secret in planted.items():
        for part in parts(secret):
            wanted.setdefault(part, set()).add(where)
    found = set()
    for n in {len(part) for part in wanted}:
        for part in wanted.keys() & {blob[at:at + n] for at in range(len(blob) - n + 1)}:
            found |= wanted[part]
    return sorted(found)
