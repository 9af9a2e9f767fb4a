package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"

	"github.com/cashwrap/cashwrap/functions"
)

// deadQueue is a dead-letter queue, which operators read. Any message in it raises an alarm.
type deadQueue struct {
	name  string
	queue awssqs.Queue
}

func (p *platform) addQueues() {
	for _, q := range functions.Queues {
		dead := p.addDeadQueue(q.DeadName())
		p.queues[q.Name] = awssqs.NewQueue(p.stack, text("Queue"+pascal(q.Name)), &awssqs.QueueProps{
			QueueName:         text(p.name(q.Name)),
			VisibilityTimeout: duration(q.Visibility),
			DeadLetterQueue:   &awssqs.DeadLetterQueue{Queue: dead, MaxReceiveCount: number(q.MaxReceives)},
			Encryption:        awssqs.QueueEncryption_SQS_MANAGED,
			EnforceSSL:        yes,
			RemovalPolicy:     p.removalPolicy(),
		})
	}
}

func (p *platform) addDeadQueue(name string) awssqs.Queue {
	queue := awssqs.NewQueue(p.stack, text("Queue"+pascal(name)), &awssqs.QueueProps{
		QueueName:       text(p.name(name)),
		RetentionPeriod: duration(functions.DeadRetention),
		Encryption:      awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL:      yes,
		RemovalPolicy:   p.removalPolicy(),
	})
	p.dead = append(p.dead, deadQueue{name, queue})
	return queue
}
