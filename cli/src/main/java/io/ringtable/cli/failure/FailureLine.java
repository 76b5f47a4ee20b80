package io.ringtable.cli.failure;

import io.ringtable.cli.bridge.BridgeFailure;
import io.ringtable.cli.manage.ManagementFailure;
import io.ringtable.cli.manage.Values;
import io.ringtable.client.RingtableException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns a failure into one line on standard error, without a stack trace, and an exit code. */
public final class FailureLine implements IExecutionExceptionHandler, IParameterExceptionHandler {

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        command.getErr().println(line(failure));
        command.getErr().flush();
        return exitCode(failure);
    }

    @Override
    public int handleParseException(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        command.getErr()
                .println("RT-6001 " + oneLine(failure.getMessage()) + ": see '"
                        + command.getCommandSpec().qualifiedName() + " --help'");
        command.getErr().flush();
        return ExitCode.USAGE;
    }

    public static int exitCode(Throwable failure) {
        if (failure instanceof CommandFailed failed) {
            return failed.exitCode();
        }
        if (failure instanceof RingtableException refused) {
            return switch (refused.reason()) {
                case CONNECTION -> ExitCode.NO_BROKER;
                case SECURITY -> ExitCode.LOGIN_REFUSED;
                case CONFIGURATION -> ExitCode.USAGE;
                default -> ExitCode.FAILED;
            };
        }
        if (failure instanceof BridgeFailure ended) {
            return switch (ended.reason()) {
                case PASSING -> ExitCode.NO_BROKER;
                case LOGIN -> ExitCode.LOGIN_REFUSED;
                case USAGE -> ExitCode.USAGE;
                case FINAL -> ExitCode.FAILED;
            };
        }
        if (failure instanceof ManagementFailure refused) {
            return switch (refused.reason()) {
                case NO_BROKER -> ExitCode.NO_BROKER;
                case LOGIN -> ExitCode.LOGIN_REFUSED;
                case USAGE -> ExitCode.USAGE;
                case NOT_NOW, REFUSED -> ExitCode.FAILED;
            };
        }
        return ExitCode.FAILED;
    }

    public static String line(Throwable failure) {
        String message = failure.getMessage();
        boolean coded = failure instanceof CommandFailed
                || failure instanceof RingtableException
                || failure instanceof BridgeFailure
                || failure instanceof ManagementFailure;
        if (coded && message != null) {
            return oneLine(message);
        }
        return "RT-6000 " + failure.getClass().getSimpleName() + (message == null ? "" : ": " + oneLine(message));
    }

    private static String oneLine(String text) {
        return Values.clean(text.strip().replaceAll("\\s*\\R\\s*", "; "));
    }
}
