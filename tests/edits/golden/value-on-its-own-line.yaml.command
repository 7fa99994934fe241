set permissions '["host.timer"]'
