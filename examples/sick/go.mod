module sick

go 1.15
