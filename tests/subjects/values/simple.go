// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"sort"
)

// variable is what one variable holds, its type as reflection spells it, and where it is.
type variable struct {
	Type    string      `json:"type"`
	Value   interface{} `json:"value"`
	Address string      `json:"address"`
}

const deepest = 12 // values inside values

// simple turns a value into strings and lists of them, and so does tests/values.test.
func simple(v reflect.Value, depth int) interface{} {
	if depth > deepest {
		return "too deep"
	}
	switch v.Kind() {
	case reflect.Bool:
		return fmt.Sprint(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Uintptr:
		return fmt.Sprint(v.Uint())
	case reflect.Float32:
		return fmt.Sprintf("%#08x", math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		if math.IsNaN(v.Float()) {
			return "NaN"
		}
		return fmt.Sprintf("%#016x", math.Float64bits(v.Float()))
	case reflect.Complex64:
		c := complex64(v.Complex())
		return []string{fmt.Sprintf("%#08x", math.Float32bits(real(c))),
			fmt.Sprintf("%#08x", math.Float32bits(imag(c)))}
	case reflect.Complex128:
		c := v.Complex()
		return []string{fmt.Sprintf("%#016x", math.Float64bits(real(c))),
			fmt.Sprintf("%#016x", math.Float64bits(imag(c)))}
	case reflect.String:
		return hex.EncodeToString([]byte(v.String()))
	case reflect.Array, reflect.Slice:
		return sequence(v, depth)
	case reflect.Map:
		return entries(v, depth)
	case reflect.Struct:
		return fields(v, depth)
	}
	return reference(v, depth)
}

func sequence(v reflect.Value, depth int) interface{} {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return "nil"
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		bytes := make([]byte, v.Len())
		for i := range bytes {
			bytes[i] = byte(v.Index(i).Uint())
		}
		return hex.EncodeToString(bytes)
	}
	list := []interface{}{}
	for i := 0; i < v.Len(); i++ {
		list = append(list, simple(v.Index(i), depth+1))
	}
	return list
}

func entries(v reflect.Value, depth int) interface{} {
	if v.IsNil() {
		return "nil"
	}
	list := [][2]interface{}{}
	for _, key := range v.MapKeys() {
		list = append(list, [2]interface{}{simple(key, depth+1),
			simple(v.MapIndex(key), depth+1)})
	}
	text := func(i int) string {
		line, _ := json.Marshal(list[i])
		return string(line)
	}
	sort.Slice(list, func(i, j int) bool { return text(i) < text(j) })
	return list
}

func fields(v reflect.Value, depth int) interface{} {
	list := [][2]interface{}{}
	for i := 0; i < v.NumField(); i++ {
		list = append(list, [2]interface{}{v.Type().Field(i).Name,
			simple(v.Field(i), depth+1)})
	}
	return list
}

func reference(v reflect.Value, depth int) interface{} {
	if v.Kind() != reflect.UnsafePointer && v.IsNil() {
		return "nil"
	}
	switch v.Kind() {
	case reflect.Interface:
		return []interface{}{v.Elem().Type().String(), simple(v.Elem(), depth+1)}
	case reflect.Ptr:
		return []interface{}{"to", simple(v.Elem(), depth+1)}
	case reflect.Func:
		return runtime.FuncForPC(v.Pointer()).Name()
	case reflect.Chan:
		return []interface{}{v.Len(), v.Cap()}
	}
	return fmt.Sprintf("%#x", v.Pointer())
}

var variables []interface{} // where those are that were stated

func stated(at interface{}) variable {
	variables = append(variables, at)
	v := reflect.ValueOf(at)
	return variable{v.Elem().Type().String(), simple(v.Elem(), 0),
		fmt.Sprintf("%#x", v.Pointer())}
}

// own is what reflection does not tell: what is in channels, oldest first, and whether they are
// closed.
func own() map[string]interface{} {
	return map[string]interface{}{
		"emptyChannel":  []interface{}{[]interface{}{}, false},
		"aChannel":      []interface{}{[]string{hex.EncodeToString([]byte("first")), hex.EncodeToString([]byte("second"))}, false},
		"wrapped":       []interface{}{[]interface{}{queued(2), queued(3), queued(4)}, false},
		"closedChannel": []interface{}{[]string{"1"}, true},
	}
}

func queued(n int8) interface{} {
	return simple(reflect.ValueOf(inner{n, "w"}), 0)
}
