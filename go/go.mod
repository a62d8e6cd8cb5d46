module gosnap.invalid/gosnap

go 1.15
