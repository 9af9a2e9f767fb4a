package sqs

import (
	"slices"
	"time"
)

// A message group is noisy if it has more than noisyShare percent of the messages in flight, and at least noisyMessages
// messages. It is also noisy if it takes more than noisyShare percent of the consumers' time (AWS: "How Amazon SQS fair
// queues work").
const (
	noisyMessages = 30
	noisyShare    = 10
)

type load struct {
	messages int
	time     time.Duration
}

// loads holds the load of each group. The load of all messages without a group is under "". Such messages never make a
// noisy group.
type loads map[string]load

func (q *queue) loads(now time.Time) loads {
	l := loads{}
	for _, m := range q.Messages {
		if m.isInflight(now) {
			l.add(m.Group, load{1, now.Sub(m.LastReceived)})
		}
	}
	return l
}

func (l loads) add(group string, more load) {
	before := l[group]
	l[group] = load{before.messages + more.messages, before.time + more.time}
}

func (l loads) noisyGroups() map[string]bool {
	var total load
	for _, of := range l {
		total = load{total.messages + of.messages, total.time + of.time}
	}
	noisy := map[string]bool{}
	for group, of := range l {
		noisy[group] = group != "" && (of.messages >= noisyMessages && of.messages*100 > total.messages*noisyShare ||
			of.time*100 > total.time*noisyShare)
	}
	return noisy
}

// fairChoices returns the visible messages of quiet groups. If there are none, it returns the messages of the noisy
// group with the fewest messages in flight.
func (l loads) fairChoices(visible []*message) []*message {
	noisy := l.noisyGroups()
	next := filter(visible, func(m *message) bool { return !noisy[m.Group] })
	if len(next) > 0 || len(visible) == 0 {
		return next
	}
	least := slices.MinFunc(visible, func(a, b *message) int { return l[a.Group].messages - l[b.Group].messages }).Group
	return filter(visible, func(m *message) bool { return m.Group == least })
}

func filter(messages []*message, wanted func(*message) bool) []*message {
	var kept []*message
	for _, m := range messages {
		if wanted(m) {
			kept = append(kept, m)
		}
	}
	return kept
}
