// Command bootstrap runs the members Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/members"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(members.Routes, app.PlatformSecret, app.LastingSecret) }
