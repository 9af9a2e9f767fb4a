// Command bootstrap runs the public Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/public"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(public.Routes, app.PlatformSecret) }
