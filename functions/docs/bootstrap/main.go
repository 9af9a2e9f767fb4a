// Command bootstrap runs the docs Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/docs"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutes(docs.Routes) }
