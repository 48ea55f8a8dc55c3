"""What is computed: naive loop programs, and with each the strategy that schedules it."""
