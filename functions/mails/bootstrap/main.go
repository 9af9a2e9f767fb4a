// Command bootstrap runs the mails Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/mails"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeQueue(mails.Send, app.LastingSecret) }
