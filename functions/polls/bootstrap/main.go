// Command bootstrap runs the polls Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/polls"
	"github.com/cashwrap/cashwrap/shared/app"
	_ "github.com/cashwrap/cashwrap/shared/app/linkstripe" // live mode's acquirer
)

func main() { app.ServeQueue(polls.Poll, app.PlatformSecret, app.LastingSecret, app.AcquirerSecret) }
