// SPDX-License-Identifier: Apache-2.0

// Subject: buffers that were used before for more than what is in them now. What is left there of before is
// planted: texts without anything that tells that they are secret. Two servers, of HTTP/1.1 without and with TLS,
// and one that reads into a slice, do the same for their clients' connections.
package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/ioutil"
	"math/big"
	mathrand "math/rand"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"subjects/truth"
	"time"
)

var (
	dice    *mathrand.Rand
	planted = map[string]string{}
	never   = make(chan bool)
	kept    *buffers
)

// plant makes a text that is left in a buffer.
func plant(where string) string {
	text := make([]byte, 120)
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[dice.Intn(52)]
	}
	planted[where] = hex.EncodeToString(text)
	return string(text)
}

// pieces is read one after the other; what was read is forgotten.
type pieces []string

func (p *pieces) Read(into []byte) (int, error) {
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(into, (*p)[0])
	(*p)[0] = (*p)[0][n:]
	if (*p)[0] == "" {
		*p = (*p)[1:]
	}
	return n, nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

type buffers struct {
	partly, consumed *bufio.Reader
	written          *bufio.Writer
	reset, taken     bytes.Buffer
	lines            *bufio.Scanner
	decoder          *json.Decoder
}

func usedBefore() *buffers {
	b := &buffers{
		partly:   bufio.NewReader(&pieces{plant("a reader's buffer"), "fresh in a reader\n"}),
		consumed: bufio.NewReader(&pieces{plant("consumed of a reader") + "\nfresh after that"}),
		written:  bufio.NewWriter(ioutil.Discard),
		lines:    bufio.NewScanner(&pieces{plant("a scanner's buffer") + "\nfresh line\n"}),
		decoder:  json.NewDecoder(&pieces{`{"a":"` + plant("a decoder's buffer") + `"}`, ` {"fresh":`}),
	}
	b.partly.Discard(120)
	b.partly.Peek(1)
	b.consumed.ReadString('\n')
	b.written.WriteString(plant("a writer's buffer"))
	must(b.written.Flush())
	b.written.WriteString("fresh in a writer")
	b.reset.WriteString(plant("a buffer that was reset"))
	b.reset.Reset()
	b.reset.WriteString("fresh in a buffer")
	b.taken.WriteString(plant("a buffer of which some was taken") + "fresh behind it")
	b.taken.Next(120)
	b.lines.Scan()
	b.lines.Scan()
	var decoded struct{ B int }
	must(b.decoder.Decode(&decoded))
	b.decoder.More()
	return b
}

//go:noinline
func rests(b *buffers) {
	<-never
	runtime.KeepAlive(b)
}

// reads has no buffer of a known type.
//
//go:noinline
func reads(conn net.Conn) {
	into := make([]byte, 256)
	for {
		if _, err := conn.Read(into); err != nil {
			return
		}
		conn.Write([]byte("."))
	}
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	return l
}

func accepts(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go reads(conn)
	}
}

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	must(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func main() {
	seed, _ := strconv.ParseInt(os.Getenv("GOSNAP_SUBJECT_SEED"), 10, 64)
	dice = mathrand.New(mathrand.NewSource(seed))
	http.HandleFunc("/me", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") })
	http.HandleFunc("/wait", func(w http.ResponseWriter, r *http.Request) { <-never })
	plain, secured, own := listen(), listen(), listen()
	go http.Serve(plain, nil)
	secure := &http.Server{TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate()}}}
	go secure.ServeTLS(secured, "", "")
	go accepts(own)
	kept = usedBefore()
	go rests(kept)
	for i := 0; i < 2; i++ {
		runtime.GC()
	}
	truth.Say(map[string]interface{}{"planted": planted, "plain": plain.Addr().(*net.TCPAddr).Port,
		"secured": secured.Addr().(*net.TCPAddr).Port, "own": own.Addr().(*net.TCPAddr).Port})
	planted = nil // the core has package variables
	truth.EndWithStdin()
	fmt.Println("READY")
	time.Sleep(time.Hour)
}
