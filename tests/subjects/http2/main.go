// SPDX-License-Identifier: Apache-2.0

// Command http2 is a server of HTTP/2 and its client, with a request that waits. Its argument is a file with the secrets
// that it sends, and with bytes that goroutines keep.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/ioutil"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
)

type settings struct {
	Headers []map[string]string // of each request; the last one waits
	Answer  map[string]string
	Kept    map[string][]byte
}

func load(path string) *settings {
	text, err := ioutil.ReadFile(path)
	if err != nil {
		panic(err)
	}
	s := new(settings)
	if err := json.Unmarshal(text, s); err != nil {
		panic(err)
	}
	return s
}

func serve(answer map[string]string, arrived chan<- string) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(ioutil.Discard, r.Body)
		for name, value := range answer {
			w.Header().Set(name, value)
		}
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		arrived <- r.Proto
		if r.URL.Path == "/wait" {
			select {}
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	return server
}

func send(client *http.Client, url string, headers map[string]string) *http.Response {
	request, _ := http.NewRequest("POST", url, strings.NewReader("hello"))
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := client.Do(request)
	if err != nil {
		panic(err)
	}
	return answer
}

//go:noinline
func keep(frame []byte, as string, buffer *bytes.Buffer, first [64]byte, ready chan<- bool) {
	ready <- true
	select {}
	runtime.KeepAlive(frame)
	runtime.KeepAlive(as)
	runtime.KeepAlive(buffer)
	runtime.KeepAlive(first)
}

func keepAll(kept map[string][]byte) {
	ready := make(chan bool)
	for _, frame := range kept {
		var first [64]byte
		copy(first[:], frame)
		go keep(frame, string(frame), bytes.NewBuffer(frame), first, ready)
		<-ready
	}
}

func main() {
	s := load(os.Args[1])
	arrived := make(chan string)
	server := serve(s.Answer, arrived)
	keepAll(s.Kept)
	proto := ""
	for i, headers := range s.Headers {
		waits := i+1 == len(s.Headers)
		url, headers := server.URL+"/done", headers
		if waits {
			url = server.URL + "/wait"
		}
		answered := make(chan *http.Response)
		go func() {
			answer := send(server.Client(), url, headers)
			answered <- answer
			io.Copy(ioutil.Discard, answer.Body)
			answered <- nil
		}()
		proto = <-arrived
		<-answered
		if !waits {
			<-answered
			s.Headers[i] = nil // nothing else is to tell what is secret
		}
	}
	runtime.GC()
	runtime.GC()
	fmt.Printf("{\"proto\":%q}\nREADY\n", proto)
	select {}
}
