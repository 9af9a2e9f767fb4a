// Command bootstrap runs the payoutplan Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/payoutplan"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeTick(payoutplan.Tick) }
