package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"

	"github.com/cashwrap/cashwrap/functions"
)

const (
	// soon is the interval below which a failed tick is left to the next one; otherwise Lambda repeats it.
	soon        = time.Hour
	tickRetries = 2 // as often as Lambda can repeat
	// A call that does not reach the function is repeated for a while, then kept in the schedule's dead-letter queue.
	callRetries = 3
	leastAge    = time.Minute   // AWS: of an event of Lambda and of Scheduler
	mostAge     = 6 * time.Hour // AWS: of an event of Lambda
)

// addSchedule lets EventBridge Scheduler invoke the function, with a role that may do only that.
func (p *platform) addSchedule(f function) error {
	expression, err := expressionOf(f.Tick)
	if err != nil {
		return err
	}
	dead := p.addDeadQueue(f.Name + "-dead")
	role := awsiam.NewRole(p.stack, text("RoleSchedule"+pascal(f.Name)), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(text("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": p.stack.Account()}}}),
		Description: text("Cashwrap, " + p.Stage + ": invokes " + f.Name),
	})
	allow(role, []string{"lambda:InvokeFunction"}, f.lambda.FunctionArn())
	allow(role, []string{"sqs:SendMessage"}, dead.QueueArn())
	schedule := awsscheduler.NewCfnSchedule(p.stack, text("Schedule"+pascal(f.Name)), &awsscheduler.CfnScheduleProps{
		Name:               text(p.name(f.Name)),
		Description:        text("Cashwrap, " + p.Stage + ": invokes " + f.Name),
		ScheduleExpression: expression.ExpressionString(),
		FlexibleTimeWindow: &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: text("OFF")},
		Target: &awsscheduler.CfnSchedule_TargetProperty{
			Arn: f.lambda.FunctionArn(), RoleArn: role.RoleArn(),
			DeadLetterConfig: &awsscheduler.CfnSchedule_DeadLetterConfigProperty{Arn: dead.QueueArn()},
			RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
				MaximumRetryAttempts: number(callRetries), MaximumEventAgeInSeconds: number(ageOf(f.Tick))},
		},
	})
	schedule.Node().AddDependency(role) // with its policy, which the schedule is checked against
	return nil
}

// expressionOf returns the schedule for EventBridge Scheduler, which reads a cron expression in UTC.
func expressionOf(s *functions.Schedule) (awsscheduler.ScheduleExpression, error) {
	switch {
	case s.Every < time.Minute || s.Every%time.Minute != 0:
		return nil, fmt.Errorf("a schedule must be in whole minutes, not every %s", s.Every)
	case !s.Aligned:
		return awsscheduler.ScheduleExpression_Rate(duration(s.Every)), nil
	case time.Hour%s.Every != 0:
		return nil, fmt.Errorf("an aligned schedule must divide an hour, not every %s", s.Every)
	}
	minutes := fmt.Sprintf("0/%d", int(s.Every.Minutes()))
	return awsscheduler.ScheduleExpression_Expression(text("cron("+minutes+" * * * ? *)"), nil), nil
}

func retriesOf(s *functions.Schedule) int {
	if s.Every < soon {
		return 0
	}
	return tickRetries
}

// ageOf returns how old a call may become, in seconds: then the next one is due.
func ageOf(s *functions.Schedule) int {
	return int(min(max(s.Every, leastAge), mostAge) / time.Second)
}
