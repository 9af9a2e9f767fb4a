package deadline_test

import (
	"context"
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
)

// A function keeps time free to record what it has done.
func ExampleEarly() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	work, stop := deadline.Early(ctx, 5*time.Second)
	defer stop()
	end, _ := ctx.Deadline()
	early, _ := work.Deadline()
	fmt.Println(end.Sub(early))
	// Output: 5s
}
