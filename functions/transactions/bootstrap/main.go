// Command bootstrap runs the transactions Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/transactions"
	"github.com/cashwrap/cashwrap/shared/app"
	_ "github.com/cashwrap/cashwrap/shared/app/linkstripe" // live mode's acquirer
)

func main() { app.ServeRoutes(transactions.Routes, app.PlatformSecret, app.AcquirerSecret) }
