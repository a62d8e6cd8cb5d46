// SPDX-License-Identifier: Apache-2.0

// Secrets in texts that are escaped: what tells them is, too.
package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"runtime"
)

func asJSON(value interface{}) string {
	b, _ := json.Marshal(value)
	return string(b)
}

//go:noinline
func escapes(c chan int) {
	addresses := asJSON(map[string]string{ // as short as texts are printed
		"azure": shaped("an address of Azure in JSON",
			"https://a.blob.core.windows.net/c?sv=1&sig=", letters(40), "%3D&se=1"),
		"aws": shaped("an address of AWS in JSON",
			"https://b.s3/x?a=1&X-Amz-Signature=", letters(64), "&x=1"),
		"query": shaped("a query in JSON", "https://b/x?a=1&token=", letters(24), "")})
	marshalled := asJSON(map[string]string{
		"xml":   shaped("XML in JSON", "<password>", letters(24), "</password>"),
		"env":   shaped("an environment in JSON", "A=1\nSTRIPE_KEY=", letters(24), "\nB=2"),
		"yaml":  shaped("YAML in JSON", "a: 1\ntoken: ", letters(24), "1\nb: 2"),
		"lines": shaped("a token on a line in JSON", "see\nghp_", letters(36), "\nx"),
		"line":  shaped("a JWT on a line in JSON", "see\neyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.", b64(32), "\nx"),
	})
	twice := asJSON(asJSON(shaped("a query in JSON in JSON", "x?a=1&token=", letters(24), "&b=2")))
	line := fmt.Sprintf("%q", shaped("a quoted log line", "n: 1\ttoken: ", letters(24), "1\tb: 2"))
	said := fmt.Sprintf("%q", shaped("a quoted message", `bad token "`, letters(24), `" at 3`))
	page := html.EscapeString(shaped("XML in HTML", "<password>", letters(24), "</password>"))
	wait(c)
	println(addresses, marshalled, twice, line, said, page)
}

// pathOf has other letters escaped than those that are so in a query.
func pathOf(where, password string) *url.URL {
	address := &url.URL{Scheme: "https", Host: "h", Path: "/u/" + password}
	note(where, address.EscapedPath()[3:])
	return address
}

// odd is so short that no eight bytes of the path that begin at a multiple of eight are of it.
func odd() string { return letters(4) + "$" + letters(3) + "é" + letters(2) }

// overwrite leaves no words of escaped copies on the stack, which nobody would know.
//
//go:noinline
func overwrite(n int) byte {
	var stack [4096]byte
	for i := range stack {
		stack[i] = byte(n)
	}
	return stack[n]
}

//go:noinline
func inPath(c chan int) {
	password, passphrase := odd(), odd()
	address := pathOf("a password in a path", password)
	text := pathOf("a password in an address as text", passphrase).String()
	overwrite(len(text))
	wait(c)
	runtime.KeepAlive(address)
	println(password, passphrase, text)
}
