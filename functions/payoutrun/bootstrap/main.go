// Command bootstrap runs the payoutrun Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/payoutrun"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeQueue(payoutrun.Run) }
