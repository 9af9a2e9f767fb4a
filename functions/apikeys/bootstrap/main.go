// Command bootstrap runs the apikeys Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/apikeys"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(apikeys.Routes, app.PlatformSecret) }
