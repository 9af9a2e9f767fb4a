// Command bootstrap runs the merchants Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/merchants"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(merchants.Routes, app.PlatformSecret) }
