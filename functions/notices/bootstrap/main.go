// Command bootstrap runs the notices Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/notices"
	"github.com/cashwrap/cashwrap/shared/app"
	_ "github.com/cashwrap/cashwrap/shared/app/linkstripe" // live mode's acquirer
)

func main() {
	app.ServeRoutes(notices.Routes, app.PlatformSecret, app.LastingSecret, app.AcquirerSecret)
}
