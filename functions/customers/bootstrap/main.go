// Command bootstrap runs the customers Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/customers"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(customers.Routes, app.PlatformSecret) }
