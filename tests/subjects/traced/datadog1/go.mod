module gopkg.in/DataDog/dd-trace-go.v1

go 1.15
