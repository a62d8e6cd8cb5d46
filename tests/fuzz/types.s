# SPDX-License-Identifier: Apache-2.0
# Debugging information of two structs with a field of each kind, as Go's compiler writes it:
# main.all with a map as up to Go 1.23, main.newer with one as from 1.24 on. For memory.c.
	.section .debug_abbrev
	.uleb128 1, 0x11; .byte 1; .uleb128 3,8, 0x13,0x0b, 0,0			# unit
	.uleb128 2, 0x13; .byte 1; .uleb128 3,8, 0x0b,5, 0x2900,0x0b, 0,0	# struct
	.uleb128 3, 0x0d; .byte 0; .uleb128 3,8, 0x38,5, 0x49,0x13, 0,0		# member
	.uleb128 4, 0x24; .byte 0; .uleb128 3,8, 0x3e,0x0b, 0x0b,0x0b, 0x2900,0x0b, 0,0
	.uleb128 5, 0x0f; .byte 0; .uleb128 3,8, 0x49,0x13, 0x2900,0x0b, 0,0	# pointer
	.uleb128 6, 0x16; .byte 0						# map, channel
	.uleb128 3,8, 0x49,0x13, 0x2900,0x0b, 0x2901,0x13, 0x2902,0x13, 0,0
	.uleb128 7, 0x13; .byte 0; .uleb128 3,8, 0x0b,5, 0x2900,0x0b, 0x2902,0x13, 0,0
	.uleb128 8, 0x01; .byte 1; .uleb128 3,8, 0x49,0x13, 0x0b,5, 0x2900,0x0b, 0,0
	.uleb128 9, 0x21; .byte 0; .uleb128 0x37,0x0b, 0,0			# its count
	.uleb128 10, 0x16; .byte 0; .uleb128 3,8, 0x49,0x13, 0x2900,0x0b, 0,0	# interface
	.uleb128 11, 0x15; .byte 0; .uleb128 3,8, 0x2900,0x0b, 0,0		# func
	.uleb128 12, 0x0f; .byte 0; .uleb128 3,8, 0x2900,0x0b, 0,0		# unsafe.Pointer
	.uleb128 0

	.macro base label, name, encoding, size, kind
\label:	.uleb128 4; .string "\name"; .byte \encoding, \size, \kind
	.endm
	.macro begin label, name, size
\label:	.uleb128 2; .string "\name"; .short \size; .byte 25
	.endm
	.macro member name, off, type
	.uleb128 3; .string "\name"; .short \off; .long \type - unit
	.endm
	.macro end
	.uleb128 0
	.endm
	.macro pointer label, name, to
\label:	.uleb128 5; .string "\name"; .long \to - unit; .byte 22
	.endm
	.macro array label, name, of, size, count
\label:	.uleb128 8; .string "\name"; .long \of - unit; .short \size; .byte 17
	.uleb128 9; .byte \count; .uleb128 0
	.endm
	.macro slice label, name, of
\label:	.uleb128 7; .string "\name"; .short 24; .byte 23; .long \of - unit
	.endm
	.macro headed label, name, header, kind, key, elem
\label:	.uleb128 6; .string "\name"; .long \header - unit; .byte \kind
	.long \key - unit, \elem - unit
	.endm
	.macro interface label, name, header
\label:	.uleb128 10; .string "\name"; .long \header - unit; .byte 20
	.endm
	.macro fields self, list, map
	member "n", 0, int
	member "s", 8, string
	member "bytes", 24, byte_slice
	member "list", 48, \list
	member "m", 72, \map
	member "c", 80, channel
	member "i", 88, any
	member "e", 104, error
	member "p", 120, \self
	member "f", 128, func
	member "a", 136, shorts
	member "x", 144, complex
	member "u", 160, unsafe
	member "when", 168, time
	member "mu", 192, mutex
	member "texts", 200, text_slice
	end
	.endm

	.section .debug_info
unit:	.long end - start
start:	.short 4; .long 0; .byte 8
	.uleb128 1; .string "main"; .byte 0x16
	base int, "int", 5, 8, 2
	base short, "int16", 5, 2, 4
	base int32, "int32", 5, 4, 5
	base int64, "int64", 5, 8, 6
	base byte, "uint8", 7, 1, 8
	base uint16, "uint16", 7, 2, 9
	base uint32, "uint32", 7, 4, 10
	base uint64, "uint64", 7, 8, 11
	base complex, "complex128", 3, 16, 16
string:	.uleb128 7; .string "string"; .short 16; .byte 24; .long byte - unit
func:	.uleb128 11; .string "func()"; .byte 19
unsafe:	.uleb128 12; .string "unsafe.Pointer"; .byte 26
	slice byte_slice, "[]uint8", byte
	slice text_slice, "[]string", string
	array shorts, "[3]int16", short, 6, 3
	array bytes8, "[8]uint8", byte, 8, 8
	array ints8, "[8]int", int, 64, 8
	array strings8, "[8]string", string, 128, 8
	begin eface, "runtime.eface", 16
	end
	begin iface, "runtime.iface", 16
	end
	interface any, "interface {}", eface
	interface error, "error", iface
	begin time, "time.Time", 24
	member "wall", 0, uint64
	member "ext", 8, int64
	member "loc", 16, unsafe
	end
	begin mutex, "sync.Mutex", 8
	member "state", 0, int32
	member "sema", 4, uint32
	end

	begin hchan, "hchan<int>", 96
	member "qcount", 0, uint64
	member "dataqsiz", 8, uint64
	member "buf", 16, int_pointer
	member "elemsize", 24, uint16
	member "closed", 28, uint32
	member "sendx", 40, uint64
	member "recvx", 48, uint64
	end
	pointer int_pointer, "*int", int
	pointer hchan_pointer, "*hchan<int>", hchan
	headed channel, "chan int", hchan_pointer, 18, int, int

	begin hmap, "hash<int,string>", 48
	member "count", 0, int
	member "flags", 8, byte
	member "B", 9, byte
	member "noverflow", 10, uint16
	member "hash0", 12, uint32
	member "buckets", 16, bucket_pointer
	member "oldbuckets", 24, bucket_pointer
	end
	begin bucket, "bucket<int,string>", 208
	member "tophash", 0, bytes8
	member "keys", 8, ints8
	member "values", 72, strings8
	member "overflow", 200, bucket_pointer
	end
	pointer bucket_pointer, "*bucket<int,string>", bucket
	pointer hmap_pointer, "*hash<int,string>", hmap
	headed classic, "map[int]string", hmap_pointer, 21, int, string

	begin swiss_map, "map<int,string>", 48
	member "used", 0, uint64
	member "seed", 8, uint64
	member "dirPtr", 16, table_pointers
	member "dirLen", 24, int
	end
	pointer table_pointers, "**table<int,string>", table_pointer
	pointer table_pointer, "*table<int,string>", table
	begin table, "table<int,string>", 32
	member "used", 0, uint16
	member "capacity", 2, uint16
	member "index", 8, int
	member "groups", 16, groups
	end
	begin groups, "groupReference<int,string>", 16
	member "data", 0, group_pointer
	member "lengthMask", 8, uint64
	end
	pointer group_pointer, "*group<int,string>", group
	begin group, "group<int,string>", 200
	member "ctrl", 0, uint64
	member "slots", 8, slots
	end
	array slots, "[8]slot<int,string>", slot, 192, 8
	begin slot, "slot<int,string>", 24
	member "key", 0, int
	member "elem", 8, string
	end
	pointer swiss_pointer, "*map<int,string>", swiss_map
	headed swiss, "map[int]string", swiss_pointer, 21, int, string

	pointer all_pointer, "*main.all", all
	pointer newer_pointer, "*main.newer", newer
	slice all_slice, "[]*main.all", all_pointer
	slice newer_slice, "[]*main.newer", newer_pointer
	begin all, "main.all", 224
	fields all_pointer, all_slice, classic
	begin newer, "main.newer", 224
	fields newer_pointer, newer_slice, swiss
	.uleb128 0
end:
