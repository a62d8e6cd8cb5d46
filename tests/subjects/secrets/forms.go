// SPDX-License-Identifier: Apache-2.0

// Secrets in the forms of files, logs, protocols and services, each once.
package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
)

// mixed has a small letter, a capital one and digits, as tokens have.
func mixed(n int) string { return letters(n-4) + "4aQ7" }

func hexed(n int) string { return hex.EncodeToString(random(n / 2)) }

func based(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// iban has the check digits of its country and number.
func iban() string {
	number := ""
	for _, b := range random(18) {
		number += string(rune('0' + b%10))
	}
	note("an IBAN", number)
	whole, _ := new(big.Int).SetString(number+"131400", 10) // DE00
	rest := new(big.Int).Mod(whole, big.NewInt(97)).Int64()
	return fmt.Sprintf("DE%02d%s", 98-rest, number)
}

// encodedKey is a private key as Kubernetes has files.
func encodedKey(where string) string {
	key := based(privateKey())
	note(where, key[60:160])
	return key
}

func formsOfFiles() []string {
	return []string{
		shaped("a line of .netrc", "machine example.org\n  login bob\n  password ", letters(24), "\n"),
		shaped("a line of .pgpass", "db.example.org:5432:app:bob:", letters(24), "\n"),
		shaped("a block of YAML", "a: 1\npassword: |\n  ", letters(24), "\nb: 2\n"),
		shaped("a folded block of YAML", "a:\n  token: >-\n    ", letters(24), "\n  b: 2\n"),
		shaped("a string of TOML", "client_secret = \"\"\"\n", letters(24), "\n\"\"\"\na = 1\n"),
		"users:\n- name: bob\n  user:\n    client-key-data: " + encodedKey("a key in a kubeconfig") + "\n",
		shaped("a token in a kubeconfig", "users:\n- name: bob\n  user:\n    token: ", letters(24), "\n"),
		shaped("a Secret in YAML", "apiVersion: v1\nkind: Secret\ndata:\n  uri: ", based(letters(24)), "\ntype: Opaque\n"),
		shaped("a Secret in JSON", `{"kind":"Secret","data":{"uri":"`, based(letters(24)), `"}}`),
		"x: " + encodedKey("a key in base64 of a PEM"),
		shaped("a hash of Django", "pbkdf2_sha256$260000$", letters(43), "="),
		shaped("a hash of LDAP", "userPassword: {SSHA}", based(letters(24)), ""),
		"paid from " + iban() + " today",
	}
}

func formsOfTalk() []string {
	return []string{
		shaped("a password in a log", "bob logged in with password ", mixed(24), " from 10.0.0.1"),
		shaped("an answer of AUTH LOGIN", "AUTH LOGIN\r\n334 VXNlcm5hbWU6\r\nYm9i\r\n334 UGFzc3dvcmQ6\r\n",
			based(letters(24)), "\r\n235 ok\r\n"),
		shaped("a code of OAuth", "GET /cb?code=", mixed(24), "&x=1 HTTP/1.1"),
		shaped("a state of OAuth", "GET /cb?a=1&state=", mixed(24), " HTTP/1.1"),
		shaped("a verifier of OAuth", "grant_type=authorization_code&code_verifier=", mixed(43), ""),
		shaped("a magic link", "see https://example.org/magic-link/", mixed(24), " please"),
		shaped("a link to reset a password", "see https://example.org/reset-password/", mixed(24), ""),
		shaped("a ticket of CAS", "validate ST-17-", mixed(24), "-cas"),
		shaped("a header X-Functions-Key", "GET / HTTP/1.1\r\nX-Functions-Key: ", letters(24), "\r\n\r\n"),
		shaped("a header Authentication", "GET / HTTP/1.1\r\nAuthentication: ", mixed(24), "\r\n\r\n"),
		shaped("an option --key in a line", "tool --key ", mixed(24), " x"),
		shaped("an option --license in a line", "tool --license=", mixed(24), " x"),
		shaped("a salt in lines", "A=1\nAPP_SALT=", mixed(24), "\nB=2"),
	}
}

func formsOfServices() []string {
	return []string{
		shaped("a token of Vault", "hvs.", mixed(92), ""),
		shaped("an old token of Vault", "s.", mixed(24), ""),
		shaped("a token of Terraform", "abcdefghijklmn.atlasv1.", mixed(67), ""),
		shaped("a key of New Relic", "NRAK-", strings.ToUpper(mixed(27)), ""),
		shaped("a key of Mailgun", "key-", hexed(32), ""),
		shaped("a token of Square", "EAAA", mixed(60), ""),
		shaped("a key of FCM", "AAAAabcdefg:APA91b", mixed(134), ""),
		shaped("a refresh token of Google", "1//0", mixed(99), ""),
		shaped("a key of Twilio", "SK", hexed(32), ""),
		shaped("a token of GitLab", "glrt-", mixed(20), ""),
		shaped("a key of Pulumi", "pul-", hexed(40), ""),
		shaped("a token of Sentry", "sntryu_", hexed(64), ""),
		shaped("a token of OpenShift", "sha256~", mixed(43), ""),
	}
}

// Session has a name that makes a secret of its ID.
type Session struct {
	ID   string
	User string
}

// beingServed has a name that makes secrets of its user and query, and of nothing else.
//
//go:noinline
func beingServed(cookieURL *url.URL, tokenFunc func() int, c chan int) {
	wait(c)
	println(cookieURL.Host, tokenFunc())
}

type server struct{ Host, Motto string }

func forms(c chan int) {
	files, talk, services := formsOfFiles(), formsOfTalk(), formsOfServices()
	message := []byte("p\x00\x00\x00\x1d" + plant("a message of PostgreSQL") + "\x00")
	manifest := []byte(shaped("a Secret in bytes", "kind: Secret\ndata:\n  uri: ", based(letters(24)), "\n"))
	form := url.Values{"code": {mixed(24)}, "state": {"California"}}
	note("a code in a form", form["code"][0])
	header := http.Header{"X-Insert-Key": {plant("a header X-Insert-Key")},
		"X-Honeycomb-Team": {plant("a header X-Honeycomb-Team")}, "Sec-Websocket-Key": {"harmless header"}}
	command := []string{"tool", "--key", plant("an option --key"), "--license", plant("an option --license"),
		"--key", "harmless.pem"}
	visitor := &Session{plant("the ID of a session"), "harmless user"}
	wait(c)
	runtime.KeepAlive([]interface{}{files, talk, services, message, manifest, form, header, command, visitor})
}

// shownForms are like them.
func shownForms(c chan int) {
	like := []string{"machine learning login page", "fe80:1234:abcd:12:34", "notes: |\n  harmless block\nb: 2\n",
		"kind: ConfigMap\ndata:\n  uri: aGFybWxlc3MgZGF0YQ==\n", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1J",
		"password authentication failed", "/cb?code=404&state=California", "/reset/all-the-counters-now",
		"tool --key harmless.pem --license Apache-2.0", "LICENSE=LGPL-2.1-or-later", "key-value pairs",
		"{SHA} is a scheme", "DE89370400440532013001", "s.VeryLongMethodNameThatIsIt"}
	wait(c)
	runtime.KeepAlive(like)
}

func preciseForms(c chan int) {
	address, _ := url.Parse("https://bob:" + letters(24) + "@harmless.example.org/harmless/path?a=1")
	password, _ := address.User.Password()
	note("a password in an address of a cookie", password)
	address.RawQuery = "q=" + plant("a query in an address of a cookie")
	serves := &server{"harmless.example.net", "harmless motto"}
	captured := plant("what a token's function captured")
	beingServed(address, func() int { return len(serves.Host) + len(captured) }, c)
	runtime.KeepAlive(serves)
}

func noteEnvironment() { note("a license in the environment", os.Getenv("APP_LICENSE")) }
