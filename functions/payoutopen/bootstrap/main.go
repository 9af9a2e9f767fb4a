// Command bootstrap runs the payoutopen Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/payoutopen"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeQueue(payoutopen.Open) }
