module doomed

go 1.15
