// Command bootstrap runs the transactions Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/transactions"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(transactions.Routes, app.PlatformSecret) }
