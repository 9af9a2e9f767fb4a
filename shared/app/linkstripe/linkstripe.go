// Package linkstripe links Stripe: programs that import it charge there if LIVE_ACQUIRER is "stripe". It keeps Stripe's
// records in the platform's own table.
package linkstripe

import (
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Name is the value of LIVE_ACQUIRER, and Hosts that of ACQUIRER_HOSTS: Stripe's pages for payers are on these hosts.
const (
	Name  = "stripe"
	Hosts = "*.stripe.com"
)

func init() { app.LinkAcquirer(Name, open) }

func open(a *app.App) acquirer.Acquirer {
	db, table := a.Store.Raw()
	return stripe.New(stripe.Config{DB: db, Table: table, Now: a.Now, BaseURL: a.AcquirerURL,
		Key:           func() string { return a.AcquirerKeys().Key },
		NoticeSecrets: func() []string { return a.AcquirerKeys().Notices },
	})
}
