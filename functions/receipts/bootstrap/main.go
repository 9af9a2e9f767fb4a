// Command bootstrap runs the receipts Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/receipts"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(receipts.Routes, app.PlatformSecret, app.LastingSecret) }
