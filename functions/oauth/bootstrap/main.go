// Command bootstrap runs the oauth Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/oauth"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(oauth.Routes, app.LastingSecret) }
