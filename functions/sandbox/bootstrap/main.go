// Command bootstrap runs the sandbox Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/sandbox"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(sandbox.Routes, app.PlatformSecret, app.LastingSecret) }
