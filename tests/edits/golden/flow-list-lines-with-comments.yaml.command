add permission host.timer
