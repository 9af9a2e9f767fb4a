package store_test

import (
	"fmt"

	"github.com/cashwrap/cashwrap/shared/store"
)

// A try reads, decides and writes. It runs again when another writer was faster.
func ExampleRetry() {
	balance, others := 10, 1
	after, err := store.Retry(func(again bool) (int, error) {
		fmt.Println("read", balance, "again:", again)
		if others > 0 { // another writer changes the item
			others--
			balance--
			return 0, store.ErrStale
		}
		balance += 5
		return balance, nil
	})
	fmt.Println("wrote", after, err)
	// Output:
	// read 10 again: false
	// read 9 again: true
	// wrote 14 <nil>
}
