package wal_test

import (
	"fmt"
	"log"
	"os"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// Open reads back the records that Append has acknowledged.
func Example() {
	dir, err := os.MkdirTemp("", "wal")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	show := func(record []byte) error {
		fmt.Printf("read %s\n", record)
		return nil
	}
	for range 2 {
		l, err := wal.Open(dir, "orders", wal.Options{}, show)
		if err != nil {
			log.Fatal(err)
		}
		if err = l.Append([]byte("first")); err == nil {
			err = l.Append([]byte("second"))
		}
		if err != nil {
			log.Fatal(err)
		}
		if err = l.Close(); err != nil {
			log.Fatal(err)
		}
		fmt.Println("closed")
	}
	// Output:
	// closed
	// read first
	// read second
	// closed
}
