package simulator

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
func (b snapshot) checkMails() {
	sent := map[string]ses.Mail{}
	for _, m := range b.mails.Sent() {
		sent[m.ID] = m
	}
	for _, i := range b.items {
		if i.text("sk") != "MAIL" {
			continue
		}
		id := i.text("id")
		if tries, _ := strconv.Atoi(fmt.Sprint(i["tries"])); sent[id].Times > tries {
			b.find("", "mail %s was sent %d times by %d tries", id, sent[id].Times, tries)
		}
		if i["member"] == nil {
			continue
		}
		if i.text("state") == "delivered" && sent[id].Times == 0 {
			b.find("", "mail %s is delivered, but was not sent", id)
		}
		over := i.text("state") == "dropped" && i.text("kind") == "invitation" || // it was taken back, or accepted
			i.text("state") == "dead" && timeOf(i, "updated_at").Sub(timeOf(i, "first_failed_at")) >= givenUpAfter
		if state := i.text("state"); state != "delivered" && state != "owed" && state != "sending" && !over {
			b.find("", "mail %s is %s: %s", id, state, i.text("last_error"))
		}
	}
}
