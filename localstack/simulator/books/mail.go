package books

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
)

// givenUpAfter is how long a mail is tried, counted from the first try that failed, as
// a callback is (contract §11.3). The faults of a world with many jumps can last longer.
const givenUpAfter = 72 * time.Hour

// checkMails: each mail was sent at most once for each try that was recorded before, and one that is said to be
// delivered was sent. Those to all owners are not sent, but divided.
func (b Snapshot) checkMails() {
	sent := map[string]ses.Mail{}
	for _, m := range b.Mails.Sent() {
		sent[m.ID] = m
	}
	for _, i := range b.Items {
		if i.Text("sk") != "MAIL" {
			continue
		}
		id := i.Text("id")
		if tries, _ := strconv.Atoi(fmt.Sprint(i["tries"])); sent[id].Times > tries {
			b.Find("", "mail %s was sent %d times by %d tries", id, sent[id].Times, tries)
		}
		if i["member"] == nil {
			continue
		}
		if i.Text("state") == "delivered" && sent[id].Times == 0 {
			b.Find("", "mail %s is delivered, but was not sent", id)
		}
		tried := i.Time("updated_at").Sub(i.Time("first_failed_at"))
		over := i.Text("state") == "dropped" && i.Text("kind") == "invitation" || // it was taken back, or accepted
			i.Text("state") == "dead" && tried >= givenUpAfter
		if state := i.Text("state"); state != "delivered" && state != "owed" && state != "sending" && !over {
			b.Find("", "mail %s is %s: %s", id, state, i.Text("last_error"))
		}
	}
}
