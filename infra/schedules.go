package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"

	"github.com/cashwrap/cashwrap/functions"
)

const (
	// A failed tick of a shorter interval is left to the next tick. Lambda repeats a failed tick of this or a longer
	// interval.
	frequentTick = time.Hour
	tickRetries  = 2 // the most that Lambda allows
	// callRetries is for calls that do not reach the function. After the last one, the dead-letter queue keeps the call.
	callRetries = 3
	minEventAge = time.Minute   // AWS's minimum for events of Lambda and of Scheduler
	maxEventAge = 6 * time.Hour // AWS's maximum for events of Lambda
)

// addSchedule lets EventBridge Scheduler invoke the function, with a role that has no other right.
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
	schedule.Node().AddDependency(role) // and its policy: AWS checks the schedule against it
	return nil
}

// expressionOf returns the expression for EventBridge Scheduler, which reads cron expressions in UTC.
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
	if s.Every < frequentTick {
		return 0
	}
	return tickRetries
}

// ageOf returns the maximum age of a call in seconds. An older call is dropped, because the next one is due.
func ageOf(s *functions.Schedule) int {
	return int(min(max(s.Every, minEventAge), maxEventAge) / time.Second)
}
