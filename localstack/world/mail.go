package world

import (
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
)

// PutMail stores a mail, as the change does that it reports, and sends its message.
func (w *World) PutMail(t identity.Tenant, m mail.Mail) {
	w.Helper()
	_, table := w.App.Store.Raw()
	item := struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
		identity.Tenant
		mail.Mail
	}{"MAIL#" + m.ID, "MAIL", t, m.Due(w.Clock.Now())}
	if err := table.Put(item).Run(w.Context()); err != nil {
		w.Fatal(err)
	}
	w.SendMail(t, m.ID)
}

// SendMail sends a message of the mail with the id, as relay does.
func (w *World) SendMail(t identity.Tenant, id string) {
	w.Helper()
	if err := queue.OpenMails(w.App).Send(w.Context(), t, id, 0); err != nil {
		w.Fatal(err)
	}
}
