package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"

	"github.com/cashwrap/cashwrap/functions"
)

// Memory in MB, which also determines a function's share of a processor: 1,769 MB give one whole processor (AWS:
// "Configure Lambda function memory"). Except for ticks, functions mostly wait for the table, an acquirer or a
// receiver, and we pay for their memory during the wait. A process that was limited to the processor share of 256 MB
// took 13 ms instead of 6 for the median charge, and 35 ms instead of 27 for one charge in twenty. With the share of
// 128 MB these times were 55 and 127 ms. Starts are not slower, because Lambda gives a starting function a full
// processor. Ticks and the proofs of reconcile get more memory, because they do many things in parallel within their
// timeouts.
const (
	memory     = 256
	moreMemory = 512
)

const bootstrap = "bootstrap"

// challenges is the function with start3dsChallenge, which leads payers to the acquirer's hosts.
const challenges = "checkouts"

func (p *platform) addFunction(f functions.Function) error {
	folder := filepath.Join(p.Build, f.Name)
	if _, err := os.Stat(filepath.Join(folder, bootstrap)); err != nil {
		return fmt.Errorf("it is not built: run `make build` first: %w", err)
	}
	if err := checkTracing(filepath.Join(folder, bootstrap), p.OTLPEndpoint != ""); err != nil {
		return err
	}
	log := p.addLog("Log"+pascal(f.Name), "/aws/lambda/"+p.name(f.Name))
	role := p.addRole(f, log)
	props := &awslambda.FunctionProps{
		FunctionName:     text(p.name(f.Name)),
		Description:      text("Cashwrap, " + p.Stage + ": " + describeCaller(f)),
		Code:             awslambda.Code_FromAsset(&folder, nil),
		Runtime:          awslambda.Runtime_PROVIDED_AL2023(),
		Handler:          text(bootstrap),
		Architecture:     awslambda.Architecture_ARM_64(),
		MemorySize:       number(memoryOf(f)),
		Timeout:          duration(f.Timeout),
		Environment:      p.buildEnvironment(f),
		Role:             role,
		LogGroup:         log,
		LoggingFormat:    awslambda.LoggingFormat_JSON,
		SystemLogLevelV2: systemLogLevel(f),
	}
	if f.Chains() {
		props.RecursiveLoop = awslambda.RecursiveLoop_ALLOW
	}
	if len(f.Access().Secrets) > 0 {
		props.EnvironmentEncryption = p.key
	}
	if f.Tick != nil {
		props.RetryAttempts, props.MaxEventAge = number(retriesOf(f.Tick)), awscdk.Duration_Seconds(number(ageOf(f.Tick)))
	}
	deployed := function{f, awslambda.NewFunction(p.stack, text(pascal(f.Name)), props), role}
	p.functions = append(p.functions, deployed)
	return p.addCaller(deployed)
}

func memoryOf(f functions.Function) int {
	if f.Tick != nil || f.Queue != nil && f.Queue.From == functions.Proofs {
		return moreMemory
	}
	return memory
}

// systemLogLevel returns the level of Lambda's own log lines. For functions that run for each payment, Lambda logs only
// problems. Otherwise Lambda would add two lines per successful call, which would be most of the log. Metrics or our
// own lines already contain the same information.
func systemLogLevel(f functions.Function) awslambda.SystemLogLevel {
	if f.HTTP != nil || f.Queue != nil || f.Stream != nil {
		return awslambda.SystemLogLevel_WARN
	}
	return awslambda.SystemLogLevel_INFO
}

func describeCaller(f functions.Function) string {
	switch {
	case f.HTTP != nil && f.Queue != nil:
		return "endpoints of the API, and reads the queue " + f.Queue.From.Name
	case f.HTTP != nil:
		return "endpoints of the API"
	case f.Queue != nil:
		return "reads the queue " + f.Queue.From.Name
	case f.Stream != nil:
		return "reads the table's stream"
	case f.Tick != nil:
		return "invoked every " + f.Tick.Every.String()
	default:
		return "invoked by operators"
	}
}

// buildEnvironment returns the variables that app.FromEnvironment reads, without those for a developer's machine.
func (p *platform) buildEnvironment(f functions.Function) *map[string]*string {
	variables := p.secretVariables(f.Access().Secrets)
	variables["DUE_SHARDS"] = text(strconv.Itoa(int(p.DueShards)))
	variables["TABLE"], variables["BASE_URL"], variables["STAGE"] = p.table.TableName(), p.baseURL, &p.Stage
	variables["COMMIT"] = &p.commit
	if p.SignatureHeader != "" {
		variables["CALLBACK_SIGNATURE_HEADER"] = &p.SignatureHeader
	}
	if p.RefundRules != "" {
		variables["REFUND_RULES"] = &p.RefundRules
	}
	if p.LiveAcquirer != "" { // also in a function that does not link the acquirer, so that it asks it nothing
		variables["LIVE_ACQUIRER"] = &p.LiveAcquirer
	}
	if f.Name == challenges && p.AcquirerHosts != "" {
		variables["ACQUIRER_HOSTS"] = &p.AcquirerHosts
	}
	if f.HTTP != nil && p.TrustedProxies != "0" {
		variables["PROXY_HOPS"] = &p.TrustedProxies
		if p.ProxySecretHashes != "" {
			variables["PROXY_SECRET_HASHES"] = &p.ProxySecretHashes
		}
	}
	if f.Access().Mails && p.MailFrom != "" {
		variables["MAIL_FROM"] = &p.MailFrom
	}
	if f.Access().Objects {
		variables["FILE_BUCKET"] = p.bucket.BucketName()
	}
	p.addTracing(variables)
	for _, q := range f.Access().Sends {
		variables[q.Variable] = p.queues[q.Name].QueueUrl()
	}
	return &variables
}

// addLog adds a log group that keeps lines for 30 days in dev and for 400 days in prod. With 400 days, an operator can
// explain last year's payments.
func (p *platform) addLog(id, name string) awslogs.LogGroup {
	retention := awslogs.RetentionDays_ONE_MONTH
	if p.isProd() {
		retention = awslogs.RetentionDays_THIRTEEN_MONTHS
	}
	return awslogs.NewLogGroup(p.stack, &id, &awslogs.LogGroupProps{
		LogGroupName: &name, Retention: retention, RemovalPolicy: p.removalPolicy()})
}

// pascal turns a name into a construct's id, such as callbacks-dead into CallbacksDead.
func pascal(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
