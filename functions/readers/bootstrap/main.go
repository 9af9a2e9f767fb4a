// Command bootstrap runs the readers Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/readers"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(readers.Routes, app.PlatformSecret) }
