// Command bootstrap runs the payouts Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/payouts"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(payouts.Routes) }
