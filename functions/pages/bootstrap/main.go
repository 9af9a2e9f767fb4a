// Command bootstrap runs the pages Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/pages"
	"github.com/cashwrap/cashwrap/shared/app"
	_ "github.com/cashwrap/cashwrap/shared/app/linkstripe" // live mode's acquirer
)

func main() { app.ServeRoutes(pages.Routes, app.PlatformSecret, app.LastingSecret, app.AcquirerSecret) }
