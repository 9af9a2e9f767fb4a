// Command bootstrap runs the customers Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/customers"
	"github.com/cashwrap/cashwrap/shared/app"
	_ "github.com/cashwrap/cashwrap/shared/app/linkstripe" // live mode's acquirer
)

func main() { app.ServeRoutes(customers.Routes, app.PlatformSecret, app.AcquirerSecret) }
