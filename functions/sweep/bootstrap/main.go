// Command bootstrap runs the sweep Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/sweep"
	"github.com/cashwrap/cashwrap/shared/app"
	_ "github.com/cashwrap/cashwrap/shared/app/linkstripe" // live mode's acquirer
)

func main() { app.ServeTick(sweep.Tick, app.PlatformSecret, app.LastingSecret, app.AcquirerSecret) }
