// Command bootstrap runs the prove Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/prove"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeQueue(prove.Consume) }
