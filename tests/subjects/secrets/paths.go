// SPDX-License-Identifier: Apache-2.0

// Secrets inside of variables of the package, for gosnap print: only what they lie in tells of them.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"strings"
)

var curveKey *ecdsa.PrivateKey
var exponentKey *rsa.PrivateKey
var header pair
var headers []*pair
var command []string
var options [][]string
var listed []interface{}
var lines []string
var service struct {
	user   string
	secret struct{ Limit string }
	tokens [2]struct{ Text string }
	Max    struct{ Password string }
}

// settlePaths plants them; each is noted by its path.
func settlePaths() {
	curveKey, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	noteText("main.curveKey.D", curveKey.D.String)
	exponentKey, _ = rsa.GenerateKey(rand.Reader, 1024)
	noteText("main.exponentKey.D", exponentKey.D.String)
	noteText("main.exponentKey.Primes[1]", exponentKey.Primes[1].String)
	header = pair{"Authorization", plant("main.header.Value")}
	headers = []*pair{{"user", "bob"}, {"password", plant("main.headers[1].Value")}}
	command = []string{"tool", "--password", plant("main.command[2]")}
	options = [][]string{{"user", "bob"}, {"token", plant("main.options[1][1]")}}
	listed = []interface{}{"user", "bob", "secret", plant("main.listed[3]")}
	key := privateKey()
	note("main.lines[2]", key[100:150])
	lines = strings.Split(key, "\n")
	service.user = plant("main.service.user")
	service.secret.Limit = plant("main.service.secret.Limit")
	service.tokens[1].Text = plant("main.service.tokens[1].Text")
	service.Max.Password = plant("main.service.Max.Password")
}

func usePaths() {
	println(curveKey, exponentKey, header.Value, len(headers), len(command), len(options),
		len(listed), len(lines), service.user, service.tokens[0].Text)
}
