module github.com/DataDog/dd-trace-go/v2

go 1.15
