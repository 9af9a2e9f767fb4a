package world

import (
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
)

// PutMail stores a mail in the same way as the change that the mail reports. The table's stream then sends the mail's
// message.
func (w *World) PutMail(t identity.Tenant, m mail.Mail) {
	w.Helper()
	_, table := w.App.Store.Raw()
	item := struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
		identity.Tenant
		mail.Mail
	}{"MAIL#" + m.ID, "MAIL", t, m.Due(w.Clock.Now())}
	w.must(table.Put(item).Run(w.Context()))
}
