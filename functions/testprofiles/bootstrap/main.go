// Command bootstrap runs the testprofiles Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/testprofiles"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(testprofiles.Routes, app.PlatformSecret) }
